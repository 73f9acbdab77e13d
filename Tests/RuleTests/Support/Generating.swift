// SPDX-License-Identifier: Apache-2.0

import LatchGenerator
import LatchProto
import Testing

/// Compiles a file that states rules.
func compile(_ text: String) -> Compilation {
    Compiler { name in
        switch name {
        case "checked.proto": Array(text.utf8)
        case "buf/validate/validate.proto": Array(ValidateProto.text.utf8)
        default: nil
        }
    }.compile(["checked.proto"])
}

/// What is written of a file that states rules.
func generate(_ text: String) throws -> SwiftWriter.Output {
    let compilation = compile(text)
    try #require(compilation.isComplete, "\(compilation.diagnostics)")
    return SwiftWriter(files: compilation.requested, options: perFile).write()
}

/// How what is committed is written.
let perFile: SwiftOptions = {
    var options = SwiftOptions()
    options.layout = .perFile
    options.visibility = .internal
    return options
}()

/// What is wrong with the rules of a message's fields.
func complaints(_ fields: String) throws -> [Diagnostic] {
    try generate(
        """
        syntax = "proto3";
        import "buf/validate/validate.proto";
        message Test { \(fields) }
        """
    ).diagnostics
}
