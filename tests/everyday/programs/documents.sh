# Documents: pandoc, Graphviz, gnuplot and Ghostscript.
# run: bash documents.sh
# needs: pandoc graphviz gnuplot-nox ghostscript
# limits: {memory: 2Gi, cpuTime: 60s, openFiles: 1024}
set -e
printf '# Title\n\nsome *text*\n' | pandoc -t html | grep -q '<em>text</em>'
printf '# Title\n' | pandoc -o a.docx && [ -s a.docx ]
echo 'digraph { a -> b }' | dot -Tpng -o graph.png && [ -s graph.png ]
gnuplot -e 'set terminal pngcairo; set output "plot.png"; plot sin(x) title "ä"' && [ -s plot.png ]
gs -q -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -sOutputFile=a.pdf -c '/Helvetica 12 selectfont 9 9 moveto (text) show showpage'
grep -aq '%PDF' a.pdf
echo ok
