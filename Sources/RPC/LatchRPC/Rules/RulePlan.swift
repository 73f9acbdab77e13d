// SPDX-License-Identifier: Apache-2.0

/// What is to be checked of a message, in the order in which it is told.
struct RulePlan: Sendable {
    /// A field and what is asked of it.
    struct Field: Sendable {
        let schema: FieldSchema
        var rules = FieldRules()
        /// The rules of the message that it holds; nil where that has none.
        let inner: Inner?
    }

    /// The type of a message in a field.
    struct Inner: Sendable {
        let type: any RuledMessage.Type

        var plan: RulePlan { type.rules.plan(for: type.schema) }
    }

    /// Fields of which one at most is set.
    struct Exclusion: Sendable {
        let slots: [Int]
        let names: [String]
        let isRequired: Bool
    }

    /// A oneof of which one field must be set.
    struct Oneof: Sendable {
        let name: String
        let index: Int
    }

    private(set) var fields: [Field] = []
    private(set) var exclusions: [Exclusion] = []
    private(set) var oneofs: [Oneof] = []
    /// What could not be read.
    private(set) var unknown: [String] = []

    init(_ text: String, _ schema: MessageSchema) {
        var rules: [String: FieldRules] = [:]
        for line in text.split(separator: "\n") {
            var reader = RuleReader(line)
            let name = reader.word()
            do throws(RuleReader.Unknown) {
                switch name {
                case "@oneof": try readOneof(&reader, schema)
                case "@one": try readExclusion(&reader, schema)
                default:
                    guard schema.fields.contains(where: { $0.name == name }) else {
                        throw RuleReader.Unknown(word: name)
                    }
                    rules[name] = try reader.fieldRules()
                }
            } catch {
                unknown.append(error.word)
            }
        }
        for field in schema.fields {
            let inner = (field.type as? any RuledMessage.Type).map { Inner(type: $0) }
            var found = rules[field.name]
            guard found != nil || inner != nil else { continue }
            // A field that excludes others is only asked anything where it is set, unless it says otherwise.
            let excludes = exclusions.contains { $0.slots.contains(field.slot) }
            if excludes, found?.ignores == .nothing { found?.ignores = .zero }
            fields.append(Field(schema: field, rules: found ?? FieldRules(), inner: inner))
        }
    }

    private mutating func readOneof(_ reader: inout RuleReader, _ schema: MessageSchema) throws(RuleReader.Unknown) {
        let name = reader.word()
        // The oneof is known by one of its fields.
        let first = reader.word()
        guard let index = schema.fields.first(where: { $0.name == first })?.oneof else {
            throw RuleReader.Unknown(word: name)
        }
        oneofs.append(Oneof(name: name, index: index))
    }

    private mutating func readExclusion(
        _ reader: inout RuleReader, _ schema: MessageSchema
    ) throws(RuleReader.Unknown) {
        let names = reader.word().split(separator: ",").map(String.init)
        let slots = names.compactMap { name in schema.fields.first { $0.name == name }?.slot }
        guard slots.count == names.count else { throw RuleReader.Unknown(word: "@one") }
        exclusions.append(Exclusion(slots: slots, names: names, isRequired: reader.word() == "required"))
    }
}
