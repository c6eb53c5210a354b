/** What all services of the cluster share. The rooms give a service its port, its shell, and a machine or a cluster to run on. */
@NullMarked
package io.hearth.serve;

import org.jspecify.annotations.NullMarked;
