// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGeneratorCommands

/// The program `axiom-client-generator`: only the generator, with Axiom's documented flags.
@main
enum AxiomClientGenerator {
    /// The command with its subcommands.
    static let command = Command(
        Subcommand(
            name: "axiom-client-generator", summary: "generates Swift clients, messages and servers from .proto files",
            examples: [
                "axiom-client-generator generate --proto-path user_service.proto --output-path generated":
                    "generate the clients of a service"
            ],
            subcommands: generatorSubcommands(of: "axiom-client-generator") + [
                GeneratorDoctorSubcommand.subcommand(of: "axiom-client-generator")
            ]), version: packageVersion)

    static func main() { command.runMain() }
}
