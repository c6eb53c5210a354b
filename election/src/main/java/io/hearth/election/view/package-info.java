/** The view change: who is a member, who is master, and how the next view is agreed on. */
@NullMarked
package io.hearth.election.view;

import org.jspecify.annotations.NullMarked;
