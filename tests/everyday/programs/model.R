# R: a linear model, its picture, text in another language.
# run: Rscript model.R
# needs: r-base-core
# limits: {memory: 1Gi, cpuTime: 100s}
model <- lm(mpg ~ wt, data = mtcars)
dir.create("out", showWarnings = FALSE)
pdf("out/model.pdf")
plot(mtcars$wt, mtcars$mpg, main = "Gr\u00fcn")
abline(model)
invisible(dev.off())
stopifnot(abs(coef(model)["wt"] + 5.344) < 0.01, file.size("out/model.pdf") > 1000)
cat("ok\n")
