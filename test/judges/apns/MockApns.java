import com.eatthepath.pushy.apns.auth.ApnsVerificationKey;
import com.eatthepath.pushy.apns.server.MockApnsServer;
import com.eatthepath.pushy.apns.server.MockApnsServerBuilder;
import com.eatthepath.pushy.apns.server.MockApnsServerListener;
import com.eatthepath.pushy.apns.server.PushNotificationHandler;
import com.eatthepath.pushy.apns.server.PushNotificationHandlerFactory;
import com.eatthepath.pushy.apns.server.RejectionReason;
import com.eatthepath.pushy.apns.server.ValidatingPushNotificationHandlerFactory;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Apple's push service as Pushy's mock server plays it, over TLS and HTTP/2, with its validating handler. Commands come by
 * line: `restart` sends GOAWAY and begins anew on the same port, `stats` says what was accepted since the last time; the end of input stops it.
 *
 * Arguments: folder topic keyId teamId streams. In the folder: server.pem, server.key (PKCS #8), apns-pub.pem, and
 * tokens.txt with a token in each line, and since when it is gone (seconds) where it is.
 */
public class MockApns {
  private static final AtomicInteger accepted = new AtomicInteger();
  private static final AtomicInteger rejected = new AtomicInteger();
  private static final Map<String, Integer> byToken = new ConcurrentHashMap<>();

  public static void main(String[] args) throws Exception {
    MockApnsServer server = create(new File(args[0]), args);
    int port = server.start(0).get();
    System.out.println("PORT " + port);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      if (line.equals("restart")) {
        server.shutdown().get();
        server = create(new File(args[0]), args);
        server.start(port).get();
        System.out.println("RESTARTED");
      } else {
        int most = byToken.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        System.out.println("STATS " + accepted.getAndSet(0) + " " + rejected.getAndSet(0) + " " + byToken.size() + " " + most);
        byToken.clear();
      }
    }
    server.shutdown().get();
  }

  private static MockApnsServer create(File folder, String[] args) throws Exception {
    String topic = args[1];
    ApnsVerificationKey key = ApnsVerificationKey.loadFromPkcs8File(new File(folder, "apns-pub.pem"), args[3], args[2]);
    Set<String> tokens = new HashSet<>();
    Map<String, Instant> gone = new HashMap<>();
    for (String line : Files.readAllLines(new File(folder, "tokens.txt").toPath())) {
      String[] parts = line.trim().split(" ");
      tokens.add(parts[0]);
      if (parts.length > 1) gone.put(parts[0], Instant.ofEpochSecond(Long.parseLong(parts[1])));
    }
    PushNotificationHandlerFactory validating = new ValidatingPushNotificationHandlerFactory(
        Map.of(topic, tokens), gone, Map.of(key.getKeyId(), key), Map.of(key, Set.of(topic)));
    return new MockApnsServerBuilder()
        .setServerCredentials(new File(folder, "server.pem"), new File(folder, "server.key"), null)
        .setUseAlpn(true)
        .setMaxConcurrentStreams(Integer.parseInt(args[4]))
        .setListener(new Counter())
        .setHandlerFactory(session -> {
          PushNotificationHandler handler = validating.buildHandler(session);
          return (headers, payload) -> {
            giveDerSignature(headers);
            handler.handlePushNotification(headers, payload);
          };
        })
        .build();
  }

  /** JOSE signatures are two numbers side by side; Pushy verifies only their DER form. */
  private static void giveDerSignature(Http2Headers headers) {
    CharSequence given = headers.get("authorization");
    String[] parts = given == null ? new String[0] : given.toString().split("[ .]");
    if (parts.length != 4) return;
    byte[] pair;
    try {
      pair = Base64.getUrlDecoder().decode(parts[3]);
    } catch (IllegalArgumentException notBase64) {
      return;
    }
    if (pair.length != 64) return;
    byte[] first = new BigInteger(1, Arrays.copyOf(pair, 32)).toByteArray();
    byte[] second = new BigInteger(1, Arrays.copyOfRange(pair, 32, 64)).toByteArray();
    ByteArrayOutputStream der = new ByteArrayOutputStream();
    der.write(0x30);
    der.write(4 + first.length + second.length);
    for (byte[] number : new byte[][] {first, second}) {
      der.write(2);
      der.write(number.length);
      der.writeBytes(number);
    }
    String signature = Base64.getUrlEncoder().withoutPadding().encodeToString(der.toByteArray());
    headers.set("authorization", parts[0] + " " + parts[1] + "." + parts[2] + "." + signature);
  }

  private static class Counter implements MockApnsServerListener {
    @Override
    public void handlePushNotificationAccepted(Http2Headers headers, ByteBuf payload) {
      accepted.incrementAndGet();
      byToken.merge(headers.path().toString(), 1, Integer::sum);
    }

    @Override
    public void handlePushNotificationRejected(
        Http2Headers headers, ByteBuf payload, RejectionReason reason, Instant tokenExpiration) {
      rejected.incrementAndGet();
    }
  }
}
