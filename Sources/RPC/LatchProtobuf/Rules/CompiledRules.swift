// SPDX-License-Identifier: Apache-2.0

/// The rules of a message, resolved against its schema.
struct CompiledRules: Sendable {
    /// A field with its rules.
    struct Field: Sendable {
        let schema: FieldSchema
        var rules = FieldRules()
        /// The field's message type; nil if it has no rules.
        let nested: (any RuledMessage.Type)?
    }

    /// Mutually exclusive fields: at most one of them may be set.
    struct Exclusion: Sendable {
        let slots: [Int]
        let names: [String]
        let isRequired: Bool
    }

    /// A oneof in which one field must be set.
    struct Oneof: Sendable {
        let name: String
        let index: Int
    }

    private(set) var fields: [Field] = []
    private(set) var exclusions: [Exclusion] = []
    private(set) var oneofs: [Oneof] = []
    /// The rules that could not be parsed.
    private(set) var unknown: [String] = []

    init(_ text: String, _ schema: MessageSchema) {
        var rules: [String: FieldRules] = [:]
        for line in text.unicodeScalars.split(separator: "\n") {
            var reader = RuleParser(Substring(line))
            let name = reader.word()
            do throws(RuleParser.Unknown) {
                switch name {
                case "@oneof": try readOneof(&reader, schema)
                case "@one": try readExclusion(&reader, schema)
                default:
                    guard schema.fields.contains(where: { $0.name == name }) else {
                        throw RuleParser.Unknown(word: name)
                    }
                    rules[name] = try reader.fieldRules()
                }
            } catch {
                unknown.append(error.word)
            }
        }
        for field in schema.fields {
            let nested = field.type as? any RuledMessage.Type
            var found = rules[field.name]
            guard found != nil || nested != nil else { continue }
            // The rules of a mutually exclusive field apply only while it is set, unless they specify otherwise.
            let excludes = exclusions.contains { $0.slots.contains(field.slot) }
            if excludes, found?.ignores == .unspecified { found?.ignores = .ifZeroValue }
            fields.append(Field(schema: field, rules: found ?? FieldRules(), nested: nested))
        }
    }

    private mutating func readOneof(_ reader: inout RuleParser, _ schema: MessageSchema) throws(RuleParser.Unknown) {
        let name = reader.word()
        // In the schema, one of its fields identifies the oneof.
        let first = reader.word()
        guard let index = schema.fields.first(where: { $0.name == first })?.oneof else {
            throw RuleParser.Unknown(word: name)
        }
        oneofs.append(Oneof(name: name, index: index))
    }

    private mutating func readExclusion(
        _ reader: inout RuleParser, _ schema: MessageSchema
    ) throws(RuleParser.Unknown) {
        let names = reader.word().unicodeScalars.split(separator: ",").map { String($0) }
        let slots = names.compactMap { name in schema.fields.first { $0.name == name }?.slot }
        guard slots.count == names.count else { throw RuleParser.Unknown(word: "@one") }
        exclusions.append(Exclusion(slots: slots, names: names, isRequired: reader.word() == "required"))
    }
}
