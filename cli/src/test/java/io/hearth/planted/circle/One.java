package io.hearth.planted.circle;

/** With {@link Two} a circle of classes, for {@code ArchitectureTest} to find. */
public record One(Two two) {}
