plugins { application }

repositories { mavenLocal(); mavenCentral() }
dependencies {
    implementation(platform("io.hearth:hearth-bom:0.1.0-SNAPSHOT"))
    implementation("io.hearth:hearth-agent")
}

sourceSets { main { java.srcDir("../maven/src/main/java") } }

application {
    mainClass = "Train"
    applicationDefaultJvmArgs = listOf("--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector")
}
