// SPDX-License-Identifier: Apache-2.0

package import LatchCommand

/// `validate`: .proto files and generated Swift, judged by the compilers of both.
package enum ValidateVerb {
    static let path = Option.values("path", "PATH", letter: "p", "a file, or a folder of .proto and .swift files")
    static let detailed = Option.flag("detailed", "shows every finding, and not the first ones alone")
    static let compileCheck = Option.flag("compile-check", "fails where types cannot be checked")
    static let categorize = Option.flag("categorize", "groups what was found by what it is about")

    /// The verb, as the program of that name has it.
    package static func verb(of program: String) -> Verb {
        Verb(
            name: "validate", summary: "judges .proto files and generated Swift",
            discussion: """
                .proto files are compiled with all that they import. Swift is type-checked, all files of the path
                together as one module, where the module LatchRPC is beside this program or named by
                --module-path; else its syntax alone is checked, and that is said. Exit 1 where anything is wrong.
                """,
            options: [
                path, GenerateVerb.include, detailed, GenerateVerb.allErrors, compileCheck, categorize,
                GenerateVerb.skipCompilation,
                GenerateVerb.modulePath, GenerateVerb.json,
            ],
            joinsLetters: true,
            examples: [
                .init(command: "\(program) validate --path protos", purpose: "are the .proto files right?"),
                .init(
                    command: "\(program) validate --path generated --compile-check --categorize",
                    purpose: "does the generated Swift compile?"),
            ],
            body: { invocation, shell in try await ValidateRun(invocation, shell).run() })
    }
}
