package io.hearth.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A caller passes the arguments that the header declares, and a stub has one of two shapes: the arguments must be where it looks. */
final class AbiTableTest {
    private static final double DOUBLE = 0.5;

    static Stream<AbiTable.Function> functions() {
        return AbiTable.FUNCTIONS.stream();
    }

    @ParameterizedTest
    @MethodSource("functions")
    @SuppressWarnings("restricted") // the test is a caller
    void theArgumentsArriveInTheirOrder(AbiTable.Function function) throws Throwable {
        var found = new ArrayList<Object>();
        AbiTable.Code code = switch (function.code()) {
            case AbiTable.InRegisters _ ->
                (AbiTable.InRegisters) (a, b, c, d, e, f, x) -> {
                    found.addAll(List.of(a, b, c, d, e, f, x));
                    return found.size();
                };
            case AbiTable.OnStack _ ->
                (AbiTable.OnStack) (a, b, c, d, e, f, g, h) -> {
                    found.addAll(List.of(a, b, c, d, e, f, g, h));
                    return found.size();
                };
        };
        var passed = new ArrayList<Object>();
        var expected = new ArrayList<Object>();
        for (char letter : function.arguments().toCharArray()) {
            long number = Long.MAX_VALUE - passed.size();
            switch (letter) {
                case 'l' -> passed.add(number);
                case 'p' -> passed.add(MemorySegment.ofAddress(number));
                default -> passed.add(DOUBLE);
            }
            if (letter != 'd') {
                expected.add(number);
            }
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stub = new AbiTable.Stubs().of(code, arena);
            Object answer = Linker.nativeLinker()
                    .downcallHandle(stub, function.descriptor())
                    .invokeWithArguments(passed);
            assertEquals((long) found.size(), answer);
        }
        assertEquals(expected, found.subList(0, expected.size()));
        if (passed.contains(DOUBLE)) {
            assertEquals(DOUBLE, found.getLast());
        }
    }
}
