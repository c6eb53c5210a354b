/** Makes the packages of the program: archives with and without Java, a Debian package, an OCI image, a formula for Homebrew. */
@NullMarked
package io.hearth.dist;

import org.jspecify.annotations.NullMarked;
