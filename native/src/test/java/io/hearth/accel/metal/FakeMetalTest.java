package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The stand-in enforces Metal's rules: the test breaks each once, by the messages that the engine sends. */
final class FakeMetalTest {
    private FakeMetal fake;
    private ObjectiveC runtime;
    private Messages messages;
    private long device;
    private long queue;

    @BeforeEach
    void takeFake() throws MetalException {
        fake = FakeMetal.get();
        runtime = new ObjectiveC(Symbols.load(fake.libraries()));
        messages = new Messages(runtime);
        device = runtime.defaultDevice();
        queue = messages.ask(device, Selector.NEW_QUEUE);
    }

    private interface Steps {
        void run(long commands, long encoder) throws MetalException;
    }

    private void inPool(Steps steps) throws MetalException {
        long pool = runtime.pushPool();
        long commands = messages.ask(queue, Selector.COMMAND_BUFFER);
        steps.run(commands, messages.ask(commands, Selector.ENCODER));
        runtime.popPool(pool);
    }

    private void assertComplains(String about) {
        assertTrue(fake.violations().contains(about), fake::violations);
    }

    private long buffer(long bytes) throws MetalException {
        return messages.ask(device, Selector.NEW_BUFFER, bytes, 0);
    }

    @Test
    void nothingIsComplainedAboutWhenTheRulesAreKept() throws MetalException {
        inPool((_, encoder) -> messages.tell(encoder, Selector.END_ENCODING));
        fake.assertObeyed();
    }

    @Test
    void commitBeforeTheEndOfEncoding() throws MetalException {
        inPool((commands, _) -> messages.tell(commands, Selector.COMMIT));
        assertComplains("commit before endEncoding");
        assertComplains("an encoder was released before endEncoding");
    }

    @Test
    void commitTwiceAndEncodingAfterwards() throws MetalException {
        inPool((commands, encoder) -> {
            messages.tell(encoder, Selector.END_ENCODING);
            messages.tell(commands, Selector.COMMIT);
            messages.tell(commands, Selector.COMMIT);
            messages.tell(messages.ask(commands, Selector.ENCODER), Selector.END_ENCODING);
        });
        assertComplains("commit twice");
        assertComplains("an encoder after commit");
    }

    @Test
    void twoEncodersAtATime() throws MetalException {
        inPool((commands, encoder) -> {
            messages.tell(messages.ask(commands, Selector.ENCODER), Selector.END_ENCODING);
            messages.tell(encoder, Selector.END_ENCODING);
        });
        assertComplains("a second encoder while one is open");
    }

    @Test
    void argumentsAfterTheEndOfEncodingOrOutOfRange() throws MetalException {
        long buffer = buffer(64);
        try (var arena = Arena.ofConfined()) {
            inPool((_, encoder) -> {
                messages.tell(encoder, Selector.SET_BYTES, arena.allocate(5000).address(), 5000, 0);
                messages.tell(encoder, Selector.SET_BYTES, arena.allocate(8).address(), 8, 31);
                messages.tell(encoder, Selector.SET_BUFFER, buffer, 2, 0);
                messages.tell(encoder, Selector.SET_BUFFER, buffer, 64, 0);
                messages.tell(encoder, Selector.SET_BUFFER, 0, 0, 0);
                messages.tell(encoder, Selector.END_ENCODING);
                messages.tell(encoder, Selector.SET_BYTES, arena.allocate(8).address(), 8, 0);
            });
        }
        assertComplains("with 5000 bytes");
        assertComplains("at index 31");
        assertComplains("a wrong offset 2");
        assertComplains("a wrong offset 64");
        assertComplains("a wrong offset 0");
        assertComplains("setBytes:length:atIndex: after endEncoding");
    }

    @Test
    void dispatchesThatLackSomething() throws MetalException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 1, 1);
            long pipeline = compiledCombination();
            inPool((_, encoder) -> {
                messages.tellSizes(encoder, Selector.DISPATCH, one, one);
                messages.tell(encoder, Selector.SET_PIPELINE, pipeline);
                messages.tellSizes(encoder, Selector.DISPATCH, one, one);
                for (int i = 0; i < 3; i++) {
                    messages.tell(encoder, Selector.SET_BUFFER, buffer(64), 0, i);
                }
                messages.tell(encoder, Selector.SET_BYTES, arena.allocate(16).address(), 16, Kernel.JOB_INDEX);
                MemorySegment many = arena.allocateFrom(ValueLayout.JAVA_LONG, 1025, 1, 1);
                MemorySegment none = arena.allocateFrom(ValueLayout.JAVA_LONG, 0, 1, 1);
                messages.tellSizes(encoder, Selector.DISPATCH, one, many);
                messages.tellSizes(encoder, Selector.DISPATCH, none, one);
                messages.tell(encoder, Selector.END_ENCODING);
            });
        }
        assertComplains("dispatch without a pipeline");
        assertComplains("dispatch without argument 0 of combine_int32");
        assertComplains("dispatch of 1 groups of 1025 threads");
        assertComplains("dispatch of 0 groups of 1 threads");
        assertEquals(0, fake.get("dispatches"));
    }

    @Test
    void whatAKernelWritesIsNoOtherArgument() throws MetalException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 1, 1);
            long pipeline = compiledCombination();
            long result = buffer(64);
            long input = buffer(64);
            inPool((_, encoder) -> {
                messages.tell(encoder, Selector.SET_PIPELINE, pipeline);
                messages.tell(encoder, Selector.SET_BYTES, arena.allocate(16).address(), 16, Kernel.JOB_INDEX);
                messages.tell(encoder, Selector.SET_BUFFER, result, 0, 0);
                for (int i = 1; i < 3; i++) {
                    messages.tell(encoder, Selector.SET_BUFFER, input, 0, i);
                }
                messages.tellSizes(encoder, Selector.DISPATCH, one, one);
                assertEquals("", fake.violations(), "inputs may be one");
                messages.tell(encoder, Selector.SET_BUFFER, result, 32, 2);
                messages.tellSizes(encoder, Selector.DISPATCH, one, one);
                messages.tell(encoder, Selector.END_ENCODING);
            });
        }
        assertComplains("writes argument 0 of combine_int32, which is argument 2, too");
        assertEquals(1, fake.get("dispatches"));
    }

    private long compiledCombination() throws MetalException {
        long pool = runtime.pushPool();
        var foundation = new Foundation(runtime, messages);
        var owned = new ArrayList<Long>();
        var pipelines = new KernelCompiler(runtime, messages, foundation).compile(device, KernelSource.text(), owned);
        runtime.popPool(pool);
        Gpu.Pipeline pipeline = pipelines.get(Kernel.COMBINE_INT32);
        return pipeline == null ? 0 : pipeline.object();
    }

    @Test
    void objectsWithoutAPoolOrUsedAfterTheirEnd() throws MetalException {
        messages.ask(queue, Selector.COMMAND_BUFFER);
        assertComplains("autoreleased without a pool: FakeCommands");
        long buffer = buffer(64);
        messages.tell(buffer, Selector.RELEASE);
        messages.ask(buffer, Selector.CONTENTS);
        assertComplains("message to a released object: FakeBuffer contents");
    }

    @Test
    void aPoolOfAnotherThread() throws InterruptedException {
        long pool = runtime.pushPool();
        Thread.ofPlatform().start(() -> runtime.popPool(pool)).join();
        assertComplains("a pool popped by another thread");
        runtime.popPool(pool);
    }

    @Test
    void buffersThatNoDeviceGives() throws MetalException {
        assertEquals(0, buffer(0));
        assertComplains("newBufferWithLength: with a length that the device refuses");
    }
}
