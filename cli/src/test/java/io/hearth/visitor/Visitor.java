package io.hearth.visitor;

import io.hearth.planted.one.First;

/** Uses a room of another module that is closed to it, for {@code ArchitectureTest} to find. */
public record Visitor(First first) {}
