// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension UnsafeMutableRawPointer {
    /// The value that lies here; the caller has compared the field's cell with the type.
    @inline(__always)
    func at<Value>(_ type: Value.Type = Value.self) -> UnsafeMutablePointer<Value> {
        assumingMemoryBound(to: type)
    }

    /// Makes memory without a value hold the field's default: bits for a number, nil for what is a reference.
    func reset(_ entry: FieldEntry, _ value: FieldSchema.Default?) {
        var bits: UInt64 = 0
        if case .bits(let number)? = value { bits = number }
        switch entry.cell {
        case .none: break
        case .bool: initializeMemory(as: Bool.self, to: bits != 0)
        case .int32, .uint32, .float: initializeMemory(as: UInt32.self, to: UInt32(truncatingIfNeeded: bits))
        case .int64, .uint64, .double: initializeMemory(as: UInt64.self, to: bits)
        case .string: initializeMemory(as: String?.self, to: nil)
        case .bytes: initializeMemory(as: Data?.self, to: nil)
        case .message: initializeMemory(as: MessageStorage?.self, to: nil)
        case .bools: initializeMemory(as: [Bool]?.self, to: nil)
        case .int32s: initializeMemory(as: [Int32]?.self, to: nil)
        case .int64s: initializeMemory(as: [Int64]?.self, to: nil)
        case .uint32s: initializeMemory(as: [UInt32]?.self, to: nil)
        case .uint64s: initializeMemory(as: [UInt64]?.self, to: nil)
        case .floats: initializeMemory(as: [Float]?.self, to: nil)
        case .doubles: initializeMemory(as: [Double]?.self, to: nil)
        case .strings: initializeMemory(as: [String]?.self, to: nil)
        case .datas: initializeMemory(as: [Data]?.self, to: nil)
        case .messages: initializeMemory(as: [MessageStorage]?.self, to: nil)
        // Every dictionary is one reference; nil looks the same for all of them.
        case .map: initializeMemory(as: [String: String]?.self, to: nil)
        }
    }

    /// Takes its own hold of what the bits here, copied from another object, refer to.
    func retain(_ cell: Cell, _ map: @autoclosure () -> MapOperations) {
        switch cell {
        case .string: initializeMemory(as: String?.self, to: at(String?.self).pointee)
        case .bytes: initializeMemory(as: Data?.self, to: at(Data?.self).pointee)
        case .message: initializeMemory(as: MessageStorage?.self, to: at(MessageStorage?.self).pointee)
        case .bools: initializeMemory(as: [Bool]?.self, to: at([Bool]?.self).pointee)
        case .int32s: initializeMemory(as: [Int32]?.self, to: at([Int32]?.self).pointee)
        case .int64s: initializeMemory(as: [Int64]?.self, to: at([Int64]?.self).pointee)
        case .uint32s: initializeMemory(as: [UInt32]?.self, to: at([UInt32]?.self).pointee)
        case .uint64s: initializeMemory(as: [UInt64]?.self, to: at([UInt64]?.self).pointee)
        case .floats: initializeMemory(as: [Float]?.self, to: at([Float]?.self).pointee)
        case .doubles: initializeMemory(as: [Double]?.self, to: at([Double]?.self).pointee)
        case .strings: initializeMemory(as: [String]?.self, to: at([String]?.self).pointee)
        case .datas: initializeMemory(as: [Data]?.self, to: at([Data]?.self).pointee)
        case .messages: initializeMemory(as: [MessageStorage]?.self, to: at([MessageStorage]?.self).pointee)
        case .map: map().retain(self)
        default: break
        }
    }

    /// Ends the value that lies here.
    @inline(__always)
    func release(_ cell: Cell, _ map: @autoclosure () -> MapOperations) {
        switch cell {
        case .string: _ = at(String?.self).move()
        case .bytes: _ = at(Data?.self).move()
        case .message: _ = at(MessageStorage?.self).move()
        case .bools: _ = at([Bool]?.self).move()
        case .int32s: _ = at([Int32]?.self).move()
        case .int64s: _ = at([Int64]?.self).move()
        case .uint32s: _ = at([UInt32]?.self).move()
        case .uint64s: _ = at([UInt64]?.self).move()
        case .floats: _ = at([Float]?.self).move()
        case .doubles: _ = at([Double]?.self).move()
        case .strings: _ = at([String]?.self).move()
        case .datas: _ = at([Data]?.self).move()
        case .messages: _ = at([MessageStorage]?.self).move()
        case .map: map().release(self)
        default: break
        }
    }
}
