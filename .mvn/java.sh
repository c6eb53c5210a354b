# Sourced from the root by scripts that start java themselves: sets $java to one that runs Hearth's classes, or ends the script.
java=java
[ -z "${JAVA_HOME:-}" ] || java=$JAVA_HOME/bin/java
version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/.*java\.specification\.version = //p') || :
case $version in
2[5-9] | [3-9][0-9]) ;;
*)
    echo "$0: $java is Java ${version:-of no version}, and 25 or newer is needed: set JAVA_HOME to one" >&2
    exit 1
    ;;
esac
