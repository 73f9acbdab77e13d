// SPDX-License-Identifier: Apache-2.0

// protoc-gen-latch: the generator as protoc and buf call it: a request on standard input, an answer on standard output.
//
// For: `protoc --latch_out=DIR`, and whatever else calls plugins of protoc.
// Must not know: files. protoc has read them all, and writes what comes back.

import LatchCommand
import LatchGenerator

@main
/// The process.
enum ProtocGenLatch {
    /// Far more than any request has.
    private static let limit = 1 << 30

    /// What it can do: protoc calls it without arguments.
    static let command = Command(
        Verb(
            name: "protoc-gen-latch", summary: "writes Swift for protoc, which calls it",
            discussion: """
                It reads a CodeGeneratorRequest from standard input, and writes a CodeGeneratorResponse. Parameters:
                \(ProtocParameters.summary)
                """,
            examples: [
                .init(
                    command: "protoc --plugin=protoc-gen-latch --latch_out=visibility=package:generated user.proto",
                    purpose: "called by protoc")
            ],
            body: { _, shell in
                shell.output.writeBytes(ProtocCall.answer(try await shell.input.all(limit)))
                return .success
            }), version: packageVersion)

    static func main() { command.takeOver() }
}
