package io.hearth.planted;

import java.lang.foreign.Linker;

/** Calls native code outside of the engines, for {@code CodeRulesTest} to find. */
record CallsNativeCode(Linker linker) {}
