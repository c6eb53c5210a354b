package io.hearth.collective.group;

import io.hearth.core.CollectiveException;

/** Some ranks waited for the start of the group and others for the beginning of a step. Applications never get it. */
public final class StartMetStepException extends CollectiveException {
    private static final long serialVersionUID = 1L;

    public StartMetStepException(String message) {
        super(message);
    }
}
