package io.hearth.parameterserver.client;

import io.hearth.parameterserver.ElementType;

/** A parameter as all trainers know it. */
public record Shape(String name, ElementType type, int elements) {
    public Shape {
        if (elements < 1 || elements > Integer.MAX_VALUE / type.bytes()) {
            throw new IllegalArgumentException("a parameter has 1 to " + Integer.MAX_VALUE / type.bytes()
                    + " elements of " + type + ", " + name + " has " + elements);
        }
    }

    /** Bytes of the values. */
    public int bytes() {
        return elements * type.bytes();
    }
}
