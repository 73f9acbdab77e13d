// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator

/// The program `protoc-gen-latch`: the generator as a plugin of protoc and buf.
@main
enum ProtocGenLatch {
    /// The maximum size of a request in bytes.
    private static let limit = 1 << 30

    /// The command, which protoc calls without arguments.
    static let command = Command(
        Subcommand(
            name: "protoc-gen-latch", summary: "generates Swift as a plugin of protoc",
            discussion: """
                It reads a CodeGeneratorRequest from standard input, and writes a CodeGeneratorResponse. Parameters:
                \(GeneratorSettings.protocParameters)
                """,
            examples: [
                "protoc --plugin=protoc-gen-latch --latch_out=visibility=package:generated user.proto":
                    "generate messages with protoc"
            ],
            body: { _, shell in
                shell.output.writeBytes(ProtocPlugin.response(to: try await shell.input.all(limit)))
                return .success
            }), version: packageVersion)

    static func main() { command.runMain() }
}
