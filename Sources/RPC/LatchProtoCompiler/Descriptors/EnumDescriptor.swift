// SPDX-License-Identifier: Apache-2.0

/// An enum (`EnumDescriptorProto`).
package final class EnumDescriptor: TypeDescriptor {
    /// The values, in source order.
    @exclusivity(unchecked) package internal(set) var values: [EnumValueDescriptor] = []
}

/// A value of an enum (`EnumValueDescriptorProto`); it belongs to the scope of its enum, as in C++.
package final class EnumValueDescriptor: Declaration {
    @exclusivity(unchecked) package internal(set) var number: Int32 = 0
    package unowned let `enum`: EnumDescriptor
    var numberPosition: SourcePosition?

    init(of enum: EnumDescriptor) {
        self.enum = `enum`
        super.init(name: "", file: `enum`.file, namePosition: nil)
    }
}
