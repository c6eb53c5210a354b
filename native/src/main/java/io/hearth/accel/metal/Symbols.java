package io.hearth.accel.metal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/**
 * The loaded libraries, before any of their functions is called: here a JVM reports that native code is not allowed. They are never
 * unloaded, because neither is made for that.
 */
record Symbols(SymbolLookup runtime, SymbolLookup metal) {
    /**
     * Loads all libraries; ABSENT if one is missing.
     *
     * @throws IllegalCallerException if this JVM may not call native code
     */
    static Symbols load(MetalLibraries libraries) throws MetalException {
        SymbolLookup runtime = library(libraries.runtime());
        for (String other : libraries.others()) {
            library(other);
        }
        return new Symbols(runtime, library(libraries.metal()));
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup library(String path) throws MetalException {
        try {
            return SymbolLookup.libraryLookup(path, Arena.global());
        } catch (IllegalArgumentException missing) {
            throw new MetalException(MetalFault.ABSENT, "the library " + path + " cannot be loaded", missing);
        }
    }

    MemorySegment ofRuntime(String name) throws MetalException {
        return function(runtime, name);
    }

    MemorySegment ofMetal(String name) throws MetalException {
        return function(metal, name);
    }

    private static MemorySegment function(SymbolLookup library, String name) throws MetalException {
        var found = library.find(name);
        if (found.isEmpty()) {
            throw new MetalException(MetalFault.ABSENT, "the function " + name + " is missing");
        }
        return found.get();
    }
}
