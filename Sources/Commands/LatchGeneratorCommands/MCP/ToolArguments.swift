// SPDX-License-Identifier: Apache-2.0

import LatchCore

struct ToolArgument: Sendable {
    /// The type of an argument.
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

    /// Returns the schema of an object with some arguments as properties (JSON Schema 2020-12).
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

extension ToolArgument {
    /// Returns arguments with paths such as `generation_options.validate` as a tree of objects.
    ///
    /// - Parameter groups: The descriptions of the objects by their paths.
    static func tree(
        of arguments: [(path: String, argument: ToolArgument)], in prefix: String = "", groups: [String: String]
    ) -> [ToolArgument] {
        var (tree, seen) = ([ToolArgument](), Set<String>())
        for (path, argument) in arguments {
            let names = path.dropFirst(prefix.count).split(separator: ".")
            guard names.count > 1, let first = names.first else {
                tree.append(argument)
                continue
            }
            let group = prefix + first
            guard seen.insert(group).inserted else { continue }
            let members = Self.tree(
                of: arguments.filter { $0.path.hasPrefix("\(group).") }, in: "\(group).", groups: groups)
            tree.append(ToolArgument(name: String(first), kind: .object(members), summary: groups[group] ?? ""))
        }
        return tree
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

/// The arguments of a call.
struct ToolArguments: Sendable {
    private let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    /// Checks that all required arguments are present, and that each has its type.
    func check(_ tool: any GeneratorTool) throws(JSONRPCError) {
        try Self.check(object, tool.arguments, at: "")
    }

    private static func check(_ object: JSONObject, _ arguments: [ToolArgument], at path: String)
        throws(JSONRPCError)
    {
        for argument in arguments {
            guard let value = object[argument.name] else {
                guard !argument.isRequired else {
                    throw .invalidParameters("'\(path)\(argument.name)' is missing.")
                }
                continue
            }
            try check(value, argument, at: path + argument.name)
        }
        let names = Set(arguments.map(\.name))
        if let unknown = object.keys.first(where: { !names.contains($0) }) {
            throw .invalidParameters("There is no argument '\(path)\(unknown)'.")
        }
    }

    private static func check(_ value: JSONValue, _ argument: ToolArgument, at path: String) throws(JSONRPCError) {
        switch argument.kind {
        case .text:
            guard value.stringValue?.isEmpty == false else {
                throw .invalidParameters("'\(path)' must be text.")
            }
        case .flag:
            guard value.boolValue != nil else { throw .invalidParameters("'\(path)' must be true or false.") }
        case .texts:
            guard let elements = value.arrayValue, elements.allSatisfy({ $0.stringValue != nil }) else {
                throw .invalidParameters("'\(path)' must be a list of texts.")
            }
        case .word(let words):
            guard let word = value.stringValue, words.contains(word) else {
                throw .invalidParameters("'\(path)' must be one of \(words.joined(separator: ", ")).")
            }
        case .object(let members):
            guard let inner = value.objectValue else {
                throw .invalidParameters("'\(path)' must be an object.")
            }
            try check(inner, members, at: path + ".")
        }
    }

    /// Returns the value at a path of names; nil if there is none.
    private func value(_ path: String) -> JSONValue? {
        path.split(separator: ".").reduce(Optional(.object(object))) { $0?[String($1)] }
    }

    /// Returns the string at a path such as `framework_config.swift.layout`.
    func text(_ path: String) -> String? { value(path)?.stringValue }

    /// Returns the Boolean at a path.
    func flag(_ path: String) -> Bool? { value(path)?.boolValue }

    /// Returns the strings of the array at a path.
    func texts(_ path: String) -> [String] { value(path)?.arrayValue?.compactMap(\.stringValue) ?? [] }
}
