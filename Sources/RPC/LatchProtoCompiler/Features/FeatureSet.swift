// SPDX-License-Identifier: Apache-2.0

/// The features of a declaration, in which editions differ (`FeatureSet` of descriptor.proto).
package struct FeatureSet: Sendable, Hashable {
    /// The field numbers of `FeatureSet`.
    enum Number {
        static let fieldPresence: Int32 = 1
        static let enumType: Int32 = 2
        static let repeatedFieldEncoding: Int32 = 3
        static let utf8Validation: Int32 = 4
        static let messageEncoding: Int32 = 5
        static let jsonFormat: Int32 = 6
        static let namingStyle: Int32 = 7
        static let defaultSymbolVisibility: Int32 = 8
        static let protoLimits: Int32 = 9
        static let all = fieldPresence...protoLimits
    }

    /// Whether a field tracks its presence.
    package enum FieldPresence: Int64, Sendable, Hashable {
        case explicit = 1
        case implicit, legacyRequired
    }

    /// Whether an enum accepts unknown numbers.
    package enum EnumType: Int64, Sendable, Hashable {
        case open = 1
        case closed
    }

    /// The encoding of repeated scalars.
    package enum RepeatedFieldEncoding: Int64, Sendable, Hashable {
        case packed = 1
        case expanded
    }

    /// Whether strings are checked for valid UTF-8.
    package enum UTF8Validation: Int64, Sendable, Hashable {
        case verify = 2
        case none
    }

    /// The encoding of message fields.
    package enum MessageEncoding: Int64, Sendable, Hashable {
        case lengthPrefixed = 1
        case delimited
    }

    /// Whether JSON names must be unique.
    package enum JSONFormat: Int64, Sendable, Hashable {
        case allow = 1
        case legacyBestEffort
    }

    /// The enforced naming style; a later style includes the rules of earlier ones.
    enum NamingStyle: Int64 {
        case style2024 = 1
        case legacy, style2026
    }

    /// The visibility of declarations without `export` or `local`.
    enum DefaultSymbolVisibility: Int64 {
        case exportAll = 1
        case exportTopLevel, localAll, strict
    }

    package var fieldPresence: FieldPresence
    package var enumType: EnumType
    package var repeatedFieldEncoding: RepeatedFieldEncoding
    package var utf8Validation: UTF8Validation
    package var messageEncoding = MessageEncoding.lengthPrefixed
    package var jsonFormat: JSONFormat
    var namingStyle = NamingStyle.legacy
    var defaultSymbolVisibility = DefaultSymbolVisibility.exportAll
    /// Whether the number of fields, oneofs and enum values is limited.
    var enforcesProtoLimits = false

    /// Creates the default features of an edition.
    package init(defaultsOf edition: Edition) {
        let isProto2 = edition < .proto3
        fieldPresence = edition == .proto3 ? .implicit : .explicit
        enumType = isProto2 ? .closed : .open
        repeatedFieldEncoding = isProto2 ? .expanded : .packed
        utf8Validation = isProto2 ? .none : .verify
        jsonFormat = isProto2 ? .legacyBestEffort : .allow
        if edition >= .edition2024 { (namingStyle, defaultSymbolVisibility) = (.style2024, .exportTopLevel) }
        if edition >= .edition2026 {
            (namingStyle, defaultSymbolVisibility, enforcesProtoLimits) = (.style2026, .strict, true)
        }
    }

    /// Returns the features overridden by `options`, a `FeatureSet` message.
    func merging(_ options: OptionMessage?) -> FeatureSet {
        guard let options else { return self }
        var merged = self
        func merge<Feature: RawRepresentable<Int64>>(_ feature: inout Feature, _ number: Int32) {
            if let value = options.integer(number).flatMap(Feature.init) { feature = value }
        }
        merge(&merged.fieldPresence, Number.fieldPresence)
        merge(&merged.enumType, Number.enumType)
        merge(&merged.repeatedFieldEncoding, Number.repeatedFieldEncoding)
        merge(&merged.utf8Validation, Number.utf8Validation)
        merge(&merged.messageEncoding, Number.messageEncoding)
        merge(&merged.jsonFormat, Number.jsonFormat)
        merge(&merged.namingStyle, Number.namingStyle)
        merge(&merged.defaultSymbolVisibility, Number.defaultSymbolVisibility)
        if let value = options.integer(Number.protoLimits) { merged.enforcesProtoLimits = value != 1 }
        return merged
    }
}

/// The stage that resolves the features of all declarations in a file (Protocol Buffers, "Feature settings for
/// editions").
///
/// Declarations inherit the features of their parents.
struct FeatureResolver: FileStage {
    let file: FileDescriptor
    let pool: DescriptorPool

    func resolve() {
        file.features = merge(
            FeatureSet(defaultsOf: file.edition), file.options, FileOptions.features, at: file.syntaxPosition)
        for message in file.messages { resolve(message, file.features) }
        for one in file.enums { resolve(one, file.features) }
        for field in file.extensions { resolve(field, file.features) }
        for service in file.services {
            resolve(service, file.features, ServiceOptions.features)
            for method in service.methods { resolve(method, service.features, MethodOptions.features) }
        }
    }

    private func resolve(_ declaration: Declaration, _ parent: FeatureSet, _ number: Int32) {
        declaration.features = merge(parent, declaration.options, number, at: declaration.namePosition)
    }

    private func merge(_ features: FeatureSet, _ options: Options, _ number: Int32, at position: SourcePosition?)
        -> FeatureSet
    {
        let own = options.message.message(number)
        if own != nil, file.syntax != .editions { fail("features only exist in editions", at: position) }
        // The first value of each of these enums means unknown.
        if let own, FeatureSet.Number.all.contains(where: { own.integer($0) == 0 }) {
            fail("a feature is set to its unknown value", at: position)
        }
        return features.merging(own)
    }

    private func resolve(_ message: MessageDescriptor, _ parent: FeatureSet) {
        resolve(message, parent, MessageOptions.features)
        for oneof in message.oneofs { resolve(oneof, message.features, OneofOptions.features) }
        for field in message.fields {
            resolve(field, field.oneofIndex.map { message.oneofs[$0].features } ?? message.features)
        }
        for field in message.extensions { resolve(field, message.features) }
        for range in message.extensionRanges {
            _ = merge(message.features, range.options, ExtensionRangeOptions.features, at: range.numbers.position)
        }
        for one in message.enums { resolve(one, message.features) }
        for inner in message.messages { resolve(inner, message.features) }
    }

    private func resolve(_ one: EnumDescriptor, _ parent: FeatureSet) {
        resolve(one, parent, EnumOptions.features)
        for value in one.values { resolve(value, one.features, EnumValueOptions.features) }
    }

    private func resolve(_ field: FieldDescriptor, _ parent: FeatureSet) {
        resolve(field, parent, FieldOptions.features)
        guard file.syntax != .editions else { return }
        // In proto2 and proto3, syntax and options determine these features.
        if field.label == .required { field.features.fieldPresence = .legacyRequired }
        if field.type == .group { field.features.messageEncoding = .delimited }
        if let isPacked = field.options.message.bool(FieldOptions.packed), isPacked || file.syntax == .proto3 {
            field.features.repeatedFieldEncoding = isPacked ? .packed : .expanded
        }
        if field.isProto3Optional { field.features.fieldPresence = .explicit }
    }
}

extension FieldDescriptor {
    package var isRequired: Bool { features.fieldPresence == .legacyRequired && label != .repeated }

    package var isMap: Bool { type == .message && message?.isMapEntry == true }

    /// Whether the field is encoded as a group.
    package var isDelimited: Bool {
        guard type == .group || type == .message, !isMap, parent?.isMapEntry != true else { return type == .group }
        return features.messageEncoding == .delimited
    }

    /// Whether the field tracks its presence.
    ///
    /// It does if it is singular and is a message, is in a oneof, is an extension, or has the feature.
    package var hasPresence: Bool {
        guard label != .repeated else { return false }
        return type?.isMessage == true || oneofIndex != nil || isExtension || features.fieldPresence != .implicit
    }

    /// Whether the default value counts as absent; the fields of a map's entry are always written.
    var isImplicit: Bool { label != .repeated && !hasPresence && parent?.isMapEntry != true }

    package var isPackable: Bool {
        label == .repeated && ![.string, .bytes, .message, .group, nil].contains(type)
    }

    package var isPacked: Bool { isPackable && features.repeatedFieldEncoding == .packed }
}
