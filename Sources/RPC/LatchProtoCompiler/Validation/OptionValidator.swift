// SPDX-License-Identifier: Apache-2.0

/// The checks of an option's supported editions (`FieldOptions.feature_support`) and of the declarations on which it
/// may be set (`FieldOptions.targets`).
struct OptionValidator: FileStage {
    let file: FileDescriptor
    let pool: DescriptorPool

    /// Reports options and values that the edition of the file does not support, or that it deprecates.
    func checkLifetimes() {
        eachOption { field, values, owner in
            check(
                field.options.message.message(FieldOptions.featureSupport), "the option '\(field.name)'",
                at: owner.position)
            guard let type = field.enum else { return }
            for case .number(let bits) in values {
                let value = type.values.first { Int64($0.number) == Int64(bitPattern: bits) }
                check(
                    value?.options.message.message(EnumValueOptions.featureSupport), "'\(value?.name ?? "")'",
                    at: owner.position)
            }
        }
    }

    /// Reports options on declarations that they do not support.
    func checkTargets() {
        eachOption { field, _, owner in
            let targets = field.options.message.integers(FieldOptions.targets)
            guard !targets.isEmpty, let index = Self.owners.firstIndex(where: { $0.key == owner.message }),
                !targets.contains(Int64(index) + 1)
            else { return }
            fail("the option '\(field.fullName)' cannot be set on \(Self.owners[index].value)", at: owner.position)
        }
    }

    /// The options messages with the names of their owners, in the order of `FieldOptions.OptionTargetType`.
    private static let owners: KeyValuePairs = [
        "FileOptions": "files", "ExtensionRangeOptions": "extension ranges", "MessageOptions": "messages",
        "FieldOptions": "fields", "OneofOptions": "oneofs", "EnumOptions": "enums", "EnumValueOptions": "enum values",
        "ServiceOptions": "services", "MethodOptions": "methods",
    ]

    /// Checks a `FieldOptions.FeatureSupport`.
    ///
    /// Its fields are 1 introduced, 2 deprecated, 3 deprecation warning, 4 removed, 5 removal error.
    private func check(_ support: OptionMessage?, _ what: String, at position: SourcePosition?) {
        guard let support else { return }
        let edition = Int64(file.edition.rawValue)
        if let introduced = support.integer(1), edition < introduced {
            fail("\(what) requires edition \(Self.name(introduced))", at: position)
        }
        if let removed = support.integer(4), edition >= removed {
            fail("\(what) was removed in edition \(Self.name(removed))", at: position, hint: support.string(5))
        } else if let deprecated = support.integer(2), edition >= deprecated {
            warn(
                "\(what) is deprecated since edition \(Self.name(deprecated))", at: position, hint: support.string(3))
        }
    }

    private static func name(_ edition: Int64) -> String {
        Edition(rawValue: Int(edition)).map { "\($0)".replacing("edition", with: "") } ?? "\(edition)"
    }

    /// Calls `body` with all fields that the file's options set, at any depth.
    private func eachOption(_ body: (FieldDescriptor, [OptionMessage.Value], OptionOwner) -> Void) {
        file.visitOptions { options, owner in
            guard !options.message.isEmpty,
                case .message(let type)? = pool.symbols.find("google.protobuf.\(owner.message)")?.symbol
            else { return }
            visit(options.message, of: type, owner, body)
        }
    }

    private func visit(
        _ message: OptionMessage, of type: MessageDescriptor, _ owner: OptionOwner,
        _ body: (FieldDescriptor, [OptionMessage.Value], OptionOwner) -> Void
    ) {
        for (number, content) in message.fields.sorted(by: { $0.key < $1.key }) {
            guard
                let field = type.fields.first(where: { $0.number == number })
                    ?? pool.symbols.extension(number, of: type.fullName)
            else { continue }
            body(field, content.values, owner)
            guard let inner = field.message else { continue }
            for case .message(let value) in content.values { visit(value, of: inner, owner, body) }
        }
    }
}
