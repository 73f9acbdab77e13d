// SPDX-License-Identifier: Apache-2.0

// axiom-client-generator: the generator as a program of its own, with the names and flags that seed 000 gives it.
//
// For: people and scripts that want clients and nothing else of `latch`, and editors that speak the Model Context Protocol.
// Must not know: anything but its verbs, which `latch` has as well.

import GeneratorCommands
import LatchCommand

@main
/// The process.
enum AxiomClientGenerator {
    /// What it can do.
    static let command = Command(
        Verb(
            name: "axiom-client-generator", summary: "Swift clients, messages and servers from .proto files",
            examples: [
                .init(
                    command: "axiom-client-generator generate --proto-path user_service.proto --output-path generated",
                    purpose: "generate clients of a service")
            ],
            verbs: generatorVerbs(of: "axiom-client-generator") + [
                GeneratorDoctorVerb.verb(of: "axiom-client-generator")
            ]), version: packageVersion)

    static func main() { command.takeOver() }
}
