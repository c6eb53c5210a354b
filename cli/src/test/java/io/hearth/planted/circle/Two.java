package io.hearth.planted.circle;

/** With {@link One} a circle of classes, for {@code ArchitectureTest} to find. */
public record Two(One one) {}
