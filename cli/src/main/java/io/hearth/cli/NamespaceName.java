package io.hearth.cli;

import io.hearth.identity.NetworkNamespace;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A namespace's name on the command line. */
final class NamespaceName implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
        if (!NetworkNamespace.isName(text)) {
            throw new TypeConversionException("'" + text + "' is not 1 to 63 of a-z, 0-9 and '-'");
        }
        return text;
    }
}
