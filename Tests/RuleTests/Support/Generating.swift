// SPDX-License-Identifier: Apache-2.0

import LatchGenerator
import LatchProtoCompiler
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

/// The generated code of a file with rules.
func generate(_ text: String, allowingUnenforcedRules: Bool = false) throws -> GenerationResult {
    let compilation = compile(text)
    try #require(compilation.isComplete, "\(compilation.diagnostics)")
    var options = perFile
    options.allowsUnenforcedRules = allowingUnenforcedRules
    return SwiftWriter(files: compilation.filesToGenerate, options: options).write()
}

/// The options of the committed code.
let perFile: SwiftOptions = {
    var options = SwiftOptions()
    options.layout = .perFile
    options.visibility = .internal
    return options
}()

/// The problems of a message's field rules.
func complaints(_ fields: String) throws -> [Diagnostic] { try generate(test(fields)).diagnostics }

/// A file with a message of some fields.
func test(_ fields: String) -> String {
    """
    syntax = "proto3";
    import "buf/validate/validate.proto";
    message Test { \(fields) }
    """
}
