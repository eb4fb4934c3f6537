# GnuPG and OpenSSH: keys, an agent behind a Unix socket, signatures.
# run: bash signing.sh
# needs: gnupg openssh-client
# limits: {memory: 512Mi, cpuTime: 60s, pids: 64}
set -e
gpg --batch --quiet --passphrase '' --quick-gen-key a@example.org ed25519
echo text | gpg --batch --quiet --clearsign > signed
gpg --batch --quiet --verify signed 2>&1 | grep -q 'Good signature'
gpgconf --kill all
ssh-keygen -q -t ed25519 -N '' -f key
echo text > file && ssh-keygen -q -Y sign -f key -n file file
echo "me $(cat key.pub)" > allowed
ssh-keygen -q -Y verify -f allowed -I me -n file -s file.sig < file
echo ok
