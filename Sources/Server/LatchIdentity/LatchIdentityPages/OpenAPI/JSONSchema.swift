// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The form of a JSON value, as far as the server's routes need it (JSON Schema 2020-12, OpenAPI 3.1.0 §4.8.24).
package indirect enum JSONSchema: Sendable {
    /// A text; `format` is a name of JSON Schema Validation §7.3, such as `date-time`.
    case text(format: String? = nil)
    /// One of some texts.
    case choice([String])
    case integer(ClosedRange<Int>? = nil)
    case flag
    case list(JSONSchema)
    /// An object whose members all have values of one form.
    case map(JSONSchema)
    case object([Member])
    /// An object that has members of a specification, too.
    case open([Member])
    /// An object that has a name in the description.
    case model(Model)
    /// A value of any form.
    case any
    /// An object of a specification that the description does not repeat.
    case anyObject
    /// Null, or a value of this form, which has a type: a text or a number.
    case optional(JSONSchema)

    static let email = text(format: "email")
    static let date = text(format: "date-time")
    static let url = text(format: "uri")
    static let words = list(.text())

    /// A member of an object, a parameter of a query, or a field of a form.
    package struct Member: Sendable {
        let name: String
        let schema: JSONSchema
        var isRequired = true
        var note: String?

        static func required(_ name: String, _ schema: JSONSchema, _ note: String? = nil) -> Member {
            Member(name: name, schema: schema, note: note)
        }

        static func optional(_ name: String, _ schema: JSONSchema, _ note: String? = nil) -> Member {
            Member(name: name, schema: schema, isRequired: false, note: note)
        }
    }

    /// An object with a name.
    package struct Model: Sendable {
        let name: String
        let members: [Member]
    }

    /// The schema in JSON.
    ///
    /// - Parameter models: Collects the models that it names, with those that they name.
    func json(addingTo models: inout JSONObject) -> JSONObject {
        switch self {
        case .text(let format):
            var json: JSONObject = ["type": "string"]
            json["format"] = format.map { .string($0) }
            return json
        case .choice(let values): return ["type": "string", "enum": .array(values.map { .string($0) })]
        case .integer(let range):
            var json: JSONObject = ["type": "integer", "format": "int64"]
            json["minimum"] = range.map { .integer(Int64($0.lowerBound)) }
            // A number beyond 2⁵³ is not exact in other languages.
            if let range, Int64(range.upperBound) < 1 << 53 { json["maximum"] = .integer(Int64(range.upperBound)) }
            return json
        case .flag: return ["type": "boolean"]
        case .list(let element): return ["type": "array", "items": .object(element.json(addingTo: &models))]
        case .map(let value): return ["type": "object", "additionalProperties": .object(value.json(addingTo: &models))]
        case .object(let members): return Self.object(members, addingTo: &models)
        case .open(let members):
            var json = Self.object(members, addingTo: &models)
            json["additionalProperties"] = true
            return json
        case .model(let model):
            if models[model.name] == nil {
                // Its place, also for a model that it names and that names it.
                models[model.name] = .null
                models[model.name] = .object(Self.object(model.members, addingTo: &models))
            }
            return ["$ref": .string("#/components/schemas/\(model.name)")]
        case .any: return [:]
        case .anyObject: return ["type": "object"]
        case .optional(let schema):
            var json = schema.json(addingTo: &models)
            json["type"] = json["type"].map { .array([$0, "null"]) }
            return json
        }
    }

    private static func object(_ members: [Member], addingTo models: inout JSONObject) -> JSONObject {
        var properties = JSONObject()
        for member in members {
            var json = member.schema.json(addingTo: &models)
            json["description"] = member.note.map { .string($0) }
            properties[member.name] = .object(json)
        }
        var json: JSONObject = ["type": "object", "properties": .object(properties)]
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { json["required"] = .array(required) }
        return json
    }
}
