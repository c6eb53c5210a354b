package io.hearth.parameterserver.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A connection to an etcd. Each method asks once and waits for the answer, at most the time-out. After an error the session is to be closed:
 * a new one connects at once, while this one would wait longer and longer.
 */
final class EtcdSession implements AutoCloseable {
    private static final int SERVERS_MAX = 1_024;

    private final Client client;
    private final Duration timeout;

    EtcdSession(EtcdPlace place, Duration timeout) {
        this.timeout = timeout;
        this.client = Client.builder()
                .endpoints(place.endpoints())
                .connectTimeout(timeout)
                .waitForReady(false)
                .retryMaxAttempts(0)
                .build();
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    private <A> A await(CompletableFuture<A> answer) throws IOException, InterruptedException {
        return await(answer, timeout);
    }

    private static <A> A await(CompletableFuture<A> answer, Duration time) throws IOException, InterruptedException {
        try {
            return answer.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            Throwable root = failed;
            for (Throwable cause = failed.getCause(); cause != null; cause = cause.getCause()) {
                root = cause;
            }
            throw new IOException(String.valueOf(root.getMessage()), failed);
        } catch (TimeoutException late) {
            throw new IOException("no answer for " + time.toMillis() + " ms", late);
        }
    }

    /** A new lease. */
    long grant(Duration lease) throws IOException, InterruptedException {
        return await(client.getLeaseClient().grant(Math.max(1, lease.toSeconds())))
                .getID();
    }

    /** Renews a lease; false if etcd does not know it. */
    boolean renew(long lease) throws IOException, InterruptedException {
        try {
            return await(client.getLeaseClient().keepAliveOnce(lease)).getTTL() > 0;
        } catch (IOException failed) {
            if (failed.getCause() instanceof ExecutionException outer
                    && outer.getCause() instanceof EtcdException etcd
                    && etcd.getErrorCode() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw failed;
        }
    }

    void revoke(long lease) throws IOException, InterruptedException {
        var _ = await(client.getLeaseClient().revoke(lease));
    }

    /** Whether a key has a lease. */
    boolean has(String key, long lease) throws IOException, InterruptedException {
        return await(client.getKVClient().get(bytes(key))).getKvs().stream().anyMatch(each -> each.getLease() == lease);
    }

    /** Keys below a prefix, without it, and their values; at most 1,024. */
    SortedMap<String, String> list(String prefix) throws IOException, InterruptedException {
        GetOption option =
                GetOption.builder().isPrefix(true).withLimit(SERVERS_MAX).build();
        List<KeyValue> found =
                await(client.getKVClient().get(bytes(prefix), option)).getKvs();
        var all = new TreeMap<String, String>();
        for (KeyValue each : found) {
            all.put(
                    each.getKey().toString(StandardCharsets.UTF_8).substring(prefix.length()),
                    each.getValue().toString(StandardCharsets.UTF_8));
        }
        return all;
    }

    /** Writes a key that does not exist; false if it does. */
    boolean putIfAbsent(String key, String value, OptionalLong lease) throws IOException, InterruptedException {
        var option = PutOption.builder();
        lease.ifPresent(option::withLeaseId);
        return await(client.getKVClient()
                        .txn()
                        .If(new Cmp(bytes(key), Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
                        .Then(Op.put(bytes(key), bytes(value), option.build()))
                        .commit())
                .isSucceeded();
    }

    void put(String key, String value) throws IOException, InterruptedException {
        var _ = await(client.getKVClient().put(bytes(key), bytes(value)));
    }

    /** Waits for a lock, which ends with the lease. */
    void lock(String name, long lease, Duration wait) throws IOException, InterruptedException {
        var _ = await(client.getLockClient().lock(bytes(name), lease), wait);
    }

    @Override
    public void close() {
        client.close();
    }
}
