package io.hearth.accel.metal;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A method's types as the Objective-C runtime writes them, without the parts that do not affect a call: frame offsets,
 * qualifiers ({@code const}, {@code inout}, …), names of structs.
 *
 * <pre>
 * v64@0:8{MTLSize=QQQ}16{MTLSize=QQQ}40  ->  v@:{?=QQQ}{?=QQQ}
 * </pre>
 *
 * <p>Source: "Type Encodings" in Apple's Objective-C Runtime Programming Guide.
 *
 * @param types result, receiver ({@code @}), selector ({@code :}), arguments
 */
record Encoding(List<String> types) {
    /** Three lengths of 8 bytes; {@code MTLSize} by value. */
    static final MemoryLayout SIZE =
            MemoryLayout.structLayout(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);

    private static final String QUALIFIERS = "rnNoORVA";

    Encoding {
        types = List.copyOf(types);
    }

    /**
     * Parses an encoding of this package or of a runtime.
     *
     * @throws IllegalArgumentException if a bracket is missing
     */
    static Encoding parse(String text) {
        var types = new ArrayList<String>();
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (Character.isDigit(c) || c == '-' || QUALIFIERS.indexOf(c) >= 0) {
                at++;
            } else {
                int end = endOfType(text, at);
                types.add(plain(text.substring(at, end)));
                at = end;
            }
        }
        return new Encoding(types);
    }

    /**
     * The signature of the method in C: receiver and selector first.
     *
     * @throws IllegalArgumentException if this package does not use one of the types
     */
    FunctionDescriptor descriptor() {
        MemoryLayout[] arguments = types.stream().skip(1).map(Encoding::layout).toArray(MemoryLayout[]::new);
        String result = types.getFirst();
        return result.equals("v")
                ? FunctionDescriptor.ofVoid(arguments)
                : FunctionDescriptor.of(layout(result), arguments);
    }

    @Override
    public String toString() {
        return String.join("", types);
    }

    private static MemoryLayout layout(String type) {
        return switch (type) {
            case "Q", "q", "@", ":", "#", "*" ->
                ValueLayout.JAVA_LONG; // objects and pointers are longs, as in Messages
            case "B" -> ValueLayout.JAVA_BOOLEAN;
            case "d" -> ValueLayout.JAVA_DOUBLE;
            case "{?=QQQ}" -> SIZE;
            default -> {
                if (!type.startsWith("^")) {
                    throw new IllegalArgumentException("no layout for the Objective-C type '" + type + "'");
                }
                yield ValueLayout.JAVA_LONG;
            }
        };
    }

    private static int endOfType(String text, int start) {
        int at = start;
        while (at < text.length() && (text.charAt(at) == '^' || QUALIFIERS.indexOf(text.charAt(at)) >= 0)) {
            at++;
        }
        if (at == text.length()) {
            throw new IllegalArgumentException("a pointer to nothing in the encoding " + text);
        }
        char first = text.charAt(at);
        if (first == '{' || first == '(' || first == '[') {
            return endOfBracket(text, at);
        }
        boolean isBlock = first == '@' && at + 1 < text.length() && text.charAt(at + 1) == '?';
        return isBlock ? at + 2 : at + 1;
    }

    private static int endOfBracket(String text, int start) {
        int depth = 0;
        for (int at = start; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '{' || c == '(' || c == '[') {
                depth++;
            } else if ((c == '}' || c == ')' || c == ']') && --depth == 0) {
                return at + 1;
            }
        }
        throw new IllegalArgumentException("a bracket is not closed in the encoding " + text);
    }

    private static String plain(String type) {
        int open = type.indexOf('{');
        int equals = type.indexOf('=');
        String unnamed = open >= 0 && equals > open ? type.substring(0, open + 1) + "?" + type.substring(equals) : type;
        return unnamed.startsWith("^") ? "^" + unnamed.substring(1).replaceAll("^[" + QUALIFIERS + "]+", "") : unnamed;
    }
}
