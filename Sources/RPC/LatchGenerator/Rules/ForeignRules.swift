// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The rules of protoc-gen-validate (https://github.com/bufbuild/protoc-gen-validate), the predecessor of protovalidate, which
/// are not enforced.
enum ForeignRules {
    /// The field number of its options on fields, oneofs and messages.
    private static let option: Int32 = 1071

    /// Whether a file states such rules.
    static func isUsed(in file: FileDescriptor) -> Bool {
        let isDeclared = file.withDependencies.contains { file in
            file.package == "validate" && file.extensions.contains { $0.number == option && $0.name == "rules" }
        }
        guard isDeclared else { return false }
        var isUsed = false
        file.eachMessage { message in
            isUsed =
                isUsed || message.fields.contains { $0.options.message.has(option) }
                || message.oneofs.contains { $0.options.message.has(option) }
        }
        return isUsed
    }
}
