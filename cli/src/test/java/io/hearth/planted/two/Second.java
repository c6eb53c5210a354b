package io.hearth.planted.two;

import io.hearth.planted.one.First;

/** With {@link First} a circle of packages, for {@code ArchitectureTest} to find. */
public record Second(First first) {}
