package io.hearth.parameterserver.etcd;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.parameterserver.checkpoint.Written;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** What etcd gets about the newest checkpoints of a server, one of each part. One thread at a time. */
final class CheckpointNotes {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Map<Integer, Written> newest = new TreeMap<>();

    void add(Written written) {
        newest.put(written.part(), written);
    }

    /** JSON with a new id. */
    String json(String address, long epochMillis) {
        var files = new JsonArray();
        for (Written written : newest.values()) {
            var file = new JsonObject();
            file.addProperty("part", written.part());
            file.addProperty("path", written.file().toAbsolutePath().toString());
            file.addProperty("crc32c", Integer.toUnsignedLong(written.crc32c()));
            file.addProperty("bytes", written.bytes());
            file.addProperty("term", written.term());
            file.addProperty("updates", written.index());
            files.add(file);
        }
        var note = new JsonObject();
        note.addProperty("uuid", UUID.randomUUID().toString());
        note.addProperty("server", address);
        note.addProperty("timestamp", epochMillis * NANOS_PER_MILLI);
        note.add("files", files);
        return note.toString();
    }
}
