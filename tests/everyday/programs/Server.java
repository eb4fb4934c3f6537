// Java: a web server and a client of it, on localhost.
// run: java Server.java
// needs: openjdk-17-jdk-headless
// loopback
// limits: {memory: 2Gi, cpuTime: 100s}
import com.sun.net.httpserver.HttpServer;
import java.net.*;
import java.net.http.*;
public class Server {
  public static void main(String[] a) throws Exception {
    HttpServer s = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
    s.createContext("/", e -> { e.sendResponseHeaders(200, -1); e.close(); }); s.start();
    var r = HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("http://localhost:" + s.getAddress().getPort() + "/")).build(), HttpResponse.BodyHandlers.discarding());
    System.out.println(NetworkInterface.getNetworkInterfaces().hasMoreElements() + " " + Runtime.getRuntime().availableProcessors());
    s.stop(0); System.out.println(r.statusCode() == 200 ? "ok" : "no");
  }
}
