package io.hearth.planted.machine;

/** In a package that decides, and uses a thread, for {@code ArchitectureTest} to find. */
public record Sleeper(Thread sleeper) {}
