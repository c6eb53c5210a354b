package io.hearth.parameterserver.table;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.optimize.OptimizerSettings;
import io.hearth.parameterserver.optimize.OptimizerState;
import io.hearth.parameterserver.optimize.Values;
import io.hearth.parameterserver.wire.ParameterFrame;
import io.hearth.parameterserver.wire.PendingFrame;
import io.hearth.parameterserver.wire.SeenFrame;
import io.hearth.parameterserver.wire.TableFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** A table as bytes: of checkpoints, and of copies on other machines. Equal tables have equal bytes. */
public final class TableEncoding {
    private TableEncoding() {}

    /** Encodes a table; it may be long. */
    public static byte[] encode(TableSnapshot table) {
        var frame = TableFrame.newBuilder()
                .setInitialized(table.isInitialized())
                .setFinisher(table.finisher())
                .addAllTrainers(table.trainers());
        table.parameters().forEach((name, stored) -> frame.addParameters(parameter(name, stored)));
        return frame.build().toByteArray();
    }

    private static ParameterFrame parameter(String name, Stored stored) {
        OptimizerState state = stored.state();
        var frame = ParameterFrame.newBuilder()
                .setName(name)
                .setElementTypeValue(state.values().type().number())
                .setContent(UnsafeByteOperations.unsafeWrap(state.values().bytes()))
                .setConfig(state.settings().wire())
                .setUpdates(state.updates());
        if (!state.slots().isEmpty()) {
            frame.setFirst(
                    UnsafeByteOperations.unsafeWrap(state.slots().getFirst().bytes()));
        }
        if (state.slots().size() > 1) {
            frame.setSecond(
                    UnsafeByteOperations.unsafeWrap(state.slots().getLast().bytes()));
        }
        stored.seen()
                .forEach((trainer, seen) -> frame.addSeen(SeenFrame.newBuilder()
                        .setTrainer(trainer)
                        .setSequence(seen.sequence())
                        .setVersion(seen.version())));
        stored.pending()
                .forEach((trainer, pending) -> frame.addPending(PendingFrame.newBuilder()
                        .setTrainer(trainer)
                        .setEncoding(pending.encoding())
                        .setContent(pending.content())));
        return frame.build();
    }

    /**
     * The opposite of {@link #encode}.
     *
     * @throws IllegalArgumentException if the bytes are no table
     */
    public static TableSnapshot decode(byte[] bytes) {
        try {
            TableFrame frame = TableFrame.parseFrom(bytes);
            var parameters = new TreeMap<String, Stored>();
            for (ParameterFrame each : frame.getParametersList()) {
                parameters.put(each.getName(), stored(each));
            }
            return new TableSnapshot(
                    frame.getInitialized(), frame.getFinisher(), new TreeSet<>(frame.getTrainersList()), parameters);
        } catch (InvalidProtocolBufferException broken) {
            throw new IllegalArgumentException("no table of parameters: " + broken.getMessage(), broken);
        }
    }

    private static Stored stored(ParameterFrame frame) {
        ElementType type = ElementType.of(frame.getElementTypeValue());
        OptimizerSettings settings = OptimizerSettings.of(frame.getConfig());
        List<Values> slots = new ArrayList<>();
        for (ByteString slot : List.of(frame.getFirst(), frame.getSecond())) {
            if (slots.size() < settings.method().slots()) {
                slots.add(Values.over(type, slot.toByteArray()));
            }
        }
        var seen = new TreeMap<String, Stored.Seen>();
        frame.getSeenList()
                .forEach(each -> seen.put(each.getTrainer(), new Stored.Seen(each.getSequence(), each.getVersion())));
        var pending = new TreeMap<String, Stored.Pending>();
        frame.getPendingList()
                .forEach(each ->
                        pending.put(each.getTrainer(), new Stored.Pending(each.getEncoding(), each.getContent())));
        return new Stored(
                new OptimizerState(
                        settings,
                        frame.getUpdates(),
                        Values.over(type, frame.getContent().toByteArray()),
                        slots),
                seen,
                pending);
    }
}
