// SPDX-License-Identifier: Apache-2.0

/// The rules that options state about themselves: in which editions there are (`FieldOptions.feature_support`), and on
/// what they may be set (`FieldOptions.targets`).
struct OptionRules {
    private let file: FileDescriptor
    private let pool: FilePool

    init(_ file: FileDescriptor, in pool: FilePool) {
        self.file = file
        self.pool = pool
    }

    /// Reports options and values that are not there yet, or not any more, in the edition of the file.
    func checkLifetimes() {
        eachOption { field, values, owner in
            check(field.options.message.message(22), "the option '\(field.name)'", at: owner.place)
            guard let type = field.enum else { return }
            for case .number(let bits) in values {
                let value = type.values.first { Int64($0.number) == Int64(bitPattern: bits) }
                check(value?.options.message.message(4), "'\(value?.name ?? "")'", at: owner.place)
            }
        }
    }

    /// Reports options on what they are not meant for.
    func checkTargets() {
        eachOption { field, _, owner in
            let targets = field.options.message.integers(19)
            guard !targets.isEmpty, let index = Self.owners.firstIndex(of: owner.message),
                !targets.contains(Int64(index) + 1)
            else { return }
            fail("the option '\(field.fullName)' is not for \(Self.kinds[index])", at: owner.place)
        }
    }

    /// The messages of options in the order of `FieldOptions.OptionTargetType`.
    private static let owners = [
        "FileOptions", "ExtensionRangeOptions", "MessageOptions", "FieldOptions", "OneofOptions", "EnumOptions",
        "EnumValueOptions", "ServiceOptions", "MethodOptions",
    ]
    private static let kinds = [
        "files", "ranges of extensions", "messages", "fields", "oneofs", "enums", "values of enums", "services",
        "methods",
    ]

    /// `FieldOptions.FeatureSupport`: 1 introduced, 2 deprecated, 3 what to do then, 4 removed, 5 what to do then.
    private func check(_ support: OptionMessage?, _ what: String, at place: Place?) {
        guard let support else { return }
        let edition = Int64(file.edition.rawValue)
        if let introduced = support.integer(1), edition < introduced {
            fail("\(what) came with edition \(Self.name(introduced))", at: place)
        }
        if let removed = support.integer(4), edition >= removed {
            fail("\(what) is gone since edition \(Self.name(removed))", at: place, hint: support.string(5))
        } else if let deprecated = support.integer(2), edition >= deprecated {
            pool.diagnostics.add(
                "\(what) is deprecated since edition \(Self.name(deprecated))", at: place, in: file.source,
                hint: support.string(3), as: .warning)
        }
    }

    private static func name(_ edition: Int64) -> String {
        Edition(rawValue: Int(edition)).map { "\($0)".replacing("edition", with: "") } ?? "\(edition)"
    }

    private func fail(_ message: String, at place: Place?, hint: String? = nil) {
        pool.diagnostics.add(message, at: place, in: file.source, hint: hint)
    }

    /// All fields that are set in the options of the file, at any depth.
    private func eachOption(_ body: (FieldDescriptor, [OptionMessage.Value], OptionOwner) -> Void) {
        file.eachOptions { options, ownerOf in
            guard !options.message.isEmpty else { return }
            let owner = ownerOf()
            guard case .message(let type)? = pool.symbols.find("google.protobuf.\(owner.message)")?.symbol
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
