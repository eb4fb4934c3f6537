// Java: the file systems that files are on, changes of a folder, a program's children, parallel streams.
// run: java Stores.java
// needs: openjdk-17-jdk-headless
// limits: {memory: 2Gi, cpuTime: 100s, pids: 256, openFiles: 4096}
import java.nio.file.*;
import java.util.stream.IntStream;

public class Stores {
  static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  public static void main(String[] arguments) throws Exception {
    for (String place : new String[] {".", "/tmp", "/usr/bin", "/etc", "/dev/shm"}) {
      FileStore store = Files.getFileStore(Path.of(place));
      check(store.getTotalSpace() > 0, place + ": " + store);
    }
    check(Files.getFileStore(Path.of("/usr")).isReadOnly(), "/usr can be written");
    check(!Files.getFileStore(Path.of("/tmp")).isReadOnly(), "/tmp cannot be written");
    boolean stores = false;
    for (FileStore each : FileSystems.getDefault().getFileStores()) stores |= !each.name().isEmpty();
    check(stores, "no file systems");

    WatchService watch = FileSystems.getDefault().newWatchService();
    Path.of(".").register(watch, StandardWatchEventKinds.ENTRY_CREATE);
    Files.writeString(Path.of("new"), "x");
    check(watch.take().pollEvents().get(0).context().toString().equals("new"), "watch");

    check(IntStream.range(0, 1000).parallel().sum() == 499500, "sum");
    check(new ProcessBuilder("echo", "hi").start().waitFor() == 0, "child");
    check(ProcessHandle.current().pid() > 0, "pid");
    System.out.println("ok");
  }
}
