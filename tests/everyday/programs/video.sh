# ffmpeg: a film with sound is made, encoded, and looked at.
# run: bash video.sh
# needs: ffmpeg
# limits: {memory: 2Gi, cpuTime: 100s, pids: 256}
set -e
mkdir -p out
ffmpeg -v error -y -f lavfi -i testsrc=size=320x240:rate=10 -f lavfi -i sine -t 2 -c:v mpeg4 -c:a aac out/film.mp4
[ "$(ffprobe -v error -show_entries stream=codec_type -of csv=p=0 out/film.mp4 | sort | tr '\n' ' ')" = "audio video " ]
echo ok
