// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchProtobuf

extension Everything {
    /// A message in which every field has a value, apart from a oneof's others; inside of it are `depth` more.
    static func filled(depth: Int = 2) -> Everything {
        var message = Everything()
        message.fillNumbers()
        message.inString = ""
        message.far = "far"
        message.farthest = 0
        message.open = .unrecognized(-5)
        message.opens = [.user, .admin, .unrecognized(77)]
        message.closed = .c
        message.closeds = [.a, .c]
        message.looseCloseds = [.b]
        message.grades = [1: .a, -7: .c]
        message.text = ""
        message.number = 0
        message.infinite = 0
        message.grade = .a
        message.rawBytes = Data()
        message.switchOn = false
        guard depth > 0 else { return message }
        let inner = filled(depth: depth - 1)
        message.inner = inner
        message.inners = [inner, Everything(), inner]
        message.group = inner
        message.groups = [inner, Everything()]
        message.byName = ["": inner, "x": Everything()]
        return message
    }

    private mutating func fillNumbers() {
        oneDouble = -0.0
        mayDouble = 1.5
        manyDouble = [-0.0, 1.5, .infinity]
        looseDouble = [-0.0, 1.5, .infinity]
        byStringDouble = ["": -0.0, "x": 1.5, "yy": .infinity]
        oneFloat = 3.25
        mayFloat = -1
        manyFloat = [3.25, -1, .greatestFiniteMagnitude]
        looseFloat = [3.25, -1, .greatestFiniteMagnitude]
        byStringFloat = ["": 3.25, "x": -1, "yy": .greatestFiniteMagnitude]
        oneInt32 = -1
        mayInt32 = .max
        manyInt32 = [-1, .max, .min]
        looseInt32 = [-1, .max, .min]
        byStringInt32 = ["": -1, "x": .max, "yy": .min]
        byInt32 = [-1: "0", .max: "1", .min: "2"]
        oneInt64 = -1
        mayInt64 = .max
        manyInt64 = [-1, .max, .min]
        looseInt64 = [-1, .max, .min]
        byStringInt64 = ["": -1, "x": .max, "yy": .min]
        byInt64 = [-1: "0", .max: "1", .min: "2"]
        oneUint32 = 1
        mayUint32 = .max
        manyUint32 = [1, .max, 300]
        looseUint32 = [1, .max, 300]
        byStringUint32 = ["": 1, "x": .max, "yy": 300]
        byUint32 = [1: "0", .max: "1", 300: "2"]
        oneUint64 = 1
        mayUint64 = .max
        manyUint64 = [1, .max, 300]
        looseUint64 = [1, .max, 300]
        byStringUint64 = ["": 1, "x": .max, "yy": 300]
        byUint64 = [1: "0", .max: "1", 300: "2"]
        oneSint32 = -1
        maySint32 = .max
        manySint32 = [-1, .max, .min]
        looseSint32 = [-1, .max, .min]
        byStringSint32 = ["": -1, "x": .max, "yy": .min]
        bySint32 = [-1: "0", .max: "1", .min: "2"]
        oneSint64 = -1
        maySint64 = .max
        manySint64 = [-1, .max, .min]
        looseSint64 = [-1, .max, .min]
        byStringSint64 = ["": -1, "x": .max, "yy": .min]
        bySint64 = [-1: "0", .max: "1", .min: "2"]
        oneFixed32 = 1
        mayFixed32 = .max
        manyFixed32 = [1, .max, 7]
        looseFixed32 = [1, .max, 7]
        byStringFixed32 = ["": 1, "x": .max, "yy": 7]
        byFixed32 = [1: "0", .max: "1", 7: "2"]
        oneFixed64 = 1
        mayFixed64 = .max
        manyFixed64 = [1, .max, 7]
        looseFixed64 = [1, .max, 7]
        byStringFixed64 = ["": 1, "x": .max, "yy": 7]
        byFixed64 = [1: "0", .max: "1", 7: "2"]
        oneSfixed32 = -1
        maySfixed32 = .max
        manySfixed32 = [-1, .max, .min]
        looseSfixed32 = [-1, .max, .min]
        byStringSfixed32 = ["": -1, "x": .max, "yy": .min]
        bySfixed32 = [-1: "0", .max: "1", .min: "2"]
        oneSfixed64 = -1
        maySfixed64 = .max
        manySfixed64 = [-1, .max, .min]
        looseSfixed64 = [-1, .max, .min]
        byStringSfixed64 = ["": -1, "x": .max, "yy": .min]
        bySfixed64 = [-1: "0", .max: "1", .min: "2"]
        oneBool = true
        mayBool = false
        manyBool = [true, false, true]
        looseBool = [true, false, true]
        byStringBool = ["": true, "x": false, "yy": true]
        byBool = [true: "0", false: "1"]
        oneString = "ä"
        mayString = ""
        manyString = ["ä", "", "a longer text that does not fit in a word 😀"]
        byStringString = ["": "ä", "x": "", "yy": "a longer text that does not fit in a word 😀"]
        byString = ["ä": "0", "": "1", "a longer text that does not fit in a word 😀": "2"]
        oneBytes = Data([0, 255])
        mayBytes = Data()
        manyBytes = [Data([0, 255]), Data(), Data(repeating: 7, count: 99)]
        byStringBytes = ["": Data([0, 255]), "x": Data(), "yy": Data(repeating: 7, count: 99)]
    }
}
