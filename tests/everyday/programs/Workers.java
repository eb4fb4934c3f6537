// Java: streams on all processors, a pool of threads, a file in the temporary folder.
// run: bash -c 'javac -d /tmp/classes Workers.java && java -cp /tmp/classes Workers'
// needs: openjdk-17-jdk-headless
// limits: {memory: 2Gi, cpuTime: 100s, pids: 256}
import java.nio.file.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Workers {
  public static void main(String[] arguments) throws Exception {
    long sum = LongStream.rangeClosed(1, 1_000_000).parallel().sum();
    ExecutorService pool = Executors.newFixedThreadPool(8);
    int many = pool.invokeAll(IntStream.range(0, 100).mapToObj(i -> (Callable<Integer>) () -> i).toList()).size();
    pool.shutdown();
    Path file = Files.createTempFile("numbers", ".txt");
    Files.writeString(file, "grün");
    System.out.println(sum + " " + many + " " + Runtime.getRuntime().availableProcessors());
    System.out.println(sum == 500_000_500_000L && many == 100 && Files.readString(file).equals("grün") ? "ok" : "no");
  }
}
