// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The rules of protoc-gen-validate (https://github.com/bufbuild/protoc-gen-validate), which are not enforced.
///
/// protovalidate is its successor.
enum ForeignRules {
    /// The field number of its options for fields, oneofs and messages.
    private static let option: Int32 = 1071

    /// Whether a file contains such rules.
    static func isUsed(in file: FileDescriptor) -> Bool {
        let isDeclared = file.withDependencies.contains { file in
            file.package == "validate" && file.extensions.contains { $0.number == option && $0.name == "rules" }
        }
        func isSet(_ options: Options) -> Bool {
            isDeclared && options.message.has(option) || options.message.undeclared.contains(option)
        }
        var isUsed = file.extensions.contains { isSet($0.options) }
        file.eachMessage { message in
            isUsed =
                isUsed || isSet(message.options) || message.fields.contains { isSet($0.options) }
                || message.oneofs.contains { isSet($0.options) } || message.extensions.contains { isSet($0.options) }
        }
        return isUsed
    }
}
