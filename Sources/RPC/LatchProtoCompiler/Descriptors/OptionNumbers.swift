// SPDX-License-Identifier: Apache-2.0

// The field numbers of the options messages of descriptor.proto that the compiler and the generator read.

/// The field numbers of `FileOptions`.
package enum FileOptions {
    package static let optimizeFor: Int32 = 9
    package static let ccGenericServices: Int32 = 16
    package static let javaGenericServices: Int32 = 17
    package static let javaStringCheckUTF8: Int32 = 27
    package static let swiftPrefix: Int32 = 39
    package static let features: Int32 = 50
}

/// The field numbers of `MessageOptions`.
package enum MessageOptions {
    package static let messageSetWireFormat: Int32 = 1
    package static let deprecated: Int32 = 3
    package static let mapEntry: Int32 = 7
    package static let deprecatedLegacyJSONFieldConflicts: Int32 = 11
    package static let features: Int32 = 12
}

/// The field numbers of `FieldOptions`.
package enum FieldOptions {
    package static let ctype: Int32 = 1
    package static let packed: Int32 = 2
    package static let deprecated: Int32 = 3
    package static let lazy: Int32 = 5
    package static let jstype: Int32 = 6
    package static let unverifiedLazy: Int32 = 15
    package static let debugRedact: Int32 = 16
    package static let retention: Int32 = 17
    package static let targets: Int32 = 19
    package static let features: Int32 = 21
    package static let featureSupport: Int32 = 22
}

/// The field numbers of `OneofOptions`.
package enum OneofOptions {
    package static let features: Int32 = 1
}

/// The field numbers of `ExtensionRangeOptions`.
package enum ExtensionRangeOptions {
    package static let declaration: Int32 = 2
    package static let verification: Int32 = 3
    package static let features: Int32 = 50
}

/// The field numbers of `EnumOptions`.
package enum EnumOptions {
    package static let allowAlias: Int32 = 2
    package static let deprecated: Int32 = 3
    package static let deprecatedLegacyJSONFieldConflicts: Int32 = 6
    package static let features: Int32 = 7
}

/// The field numbers of `EnumValueOptions`.
package enum EnumValueOptions {
    package static let deprecated: Int32 = 1
    package static let features: Int32 = 2
    package static let debugRedact: Int32 = 3
    package static let featureSupport: Int32 = 4
}

/// The field numbers of `ServiceOptions`.
package enum ServiceOptions {
    package static let features: Int32 = 34
}

/// The field numbers of `MethodOptions`.
package enum MethodOptions {
    package static let deprecated: Int32 = 33
    package static let idempotencyLevel: Int32 = 34
    package static let features: Int32 = 35
}
