// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Something that a tool takes.
struct ToolArgument: Sendable {
    /// What it holds.
    indirect enum Kind: Sendable {
        case text
        case flag
        case texts
        /// One of several words.
        case word([String])
        case object([ToolArgument])
    }

    let name: String
    let kind: Kind
    let summary: String
    var isRequired = false

    /// The schema of an object that has these (JSON Schema 2020-12).
    static func schema(_ arguments: [ToolArgument]) -> JSONValue {
        var properties = JSONObject()
        for argument in arguments {
            var property = argument.kind.schema
            property["description"] = .string(argument.summary)
            properties[argument.name] = .object(property)
        }
        var schema: JSONObject = ["type": "object", "properties": .object(properties)]
        let required = arguments.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        schema["additionalProperties"] = false
        return .object(schema)
    }
}

extension ToolArgument.Kind {
    fileprivate var schema: JSONObject {
        switch self {
        case .text: ["type": "string"]
        case .flag: ["type": "boolean"]
        case .texts: ["type": "array", "items": ["type": "string"]]
        case .word(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
        case .object(let members): ToolArgument.schema(members).objectValue ?? [:]
        }
    }
}

/// What a call gives a tool.
struct ToolArguments: Sendable {
    /// Why a tool does not take them.
    struct Unsuitable: Error {
        let message: String
    }

    private let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    /// Makes sure that all that must be there is there, and that everything is of its kind.
    func check(_ tool: any GeneratorTool) throws(Unsuitable) {
        try Self.check(object, tool.arguments, at: "")
    }

    private static func check(_ object: JSONObject, _ arguments: [ToolArgument], at path: String) throws(Unsuitable) {
        for argument in arguments {
            guard let value = object[argument.name] else {
                guard !argument.isRequired else { throw Unsuitable(message: "'\(path)\(argument.name)' is missing.") }
                continue
            }
            try check(value, argument, at: path + argument.name)
        }
        let names = Set(arguments.map(\.name))
        if let unknown = object.keys.first(where: { !names.contains($0) }) {
            throw Unsuitable(message: "There is no argument '\(path)\(unknown)'.")
        }
    }

    private static func check(_ value: JSONValue, _ argument: ToolArgument, at path: String) throws(Unsuitable) {
        switch argument.kind {
        case .text:
            guard value.stringValue?.isEmpty == false else { throw Unsuitable(message: "'\(path)' must be text.") }
        case .flag:
            guard value.boolValue != nil else { throw Unsuitable(message: "'\(path)' must be true or false.") }
        case .texts:
            guard let elements = value.arrayValue, elements.allSatisfy({ $0.stringValue != nil }) else {
                throw Unsuitable(message: "'\(path)' must be a list of texts.")
            }
        case .word(let words):
            guard let word = value.stringValue, words.contains(word) else {
                throw Unsuitable(message: "'\(path)' must be one of \(words.joined(separator: ", ")).")
            }
        case .object(let members):
            guard let inner = value.objectValue else { throw Unsuitable(message: "'\(path)' must be an object.") }
            try check(inner, members, at: path + ".")
        }
    }

    /// The value at a path of names; nil where there is none.
    private func value(_ path: [String]) -> JSONValue? { path.reduce(Optional(.object(object))) { $0?[$1] } }

    func text(_ path: String...) -> String? { value(path)?.stringValue }

    func flag(_ path: String...) -> Bool? { value(path)?.boolValue }

    func texts(_ path: String...) -> [String] { value(path)?.arrayValue?.compactMap(\.stringValue) ?? [] }
}
