// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a message, before it is known where; small, so that it costs nothing to be able to throw it.
enum DecodingFailure: UInt8, Error {
    case truncated, tooDeep, invalidText, longNumber, badTag, badWireType, badGroup, badPacked

    /// The error to throw, with the way to the field.
    func error(at place: String) -> ProtoError {
        switch self {
        case .truncated: .truncated(place)
        case .tooDeep: .tooDeep(place)
        case .invalidText: .invalidText(place)
        case .longNumber: .malformed(place, "a number has more bytes than it may have")
        case .badTag: .malformed(place, "a tag has no field's number")
        case .badWireType: .malformed(place, "a tag has a wire type that does not exist")
        case .badGroup: .malformed(place, "a group ends that did not begin there")
        case .badPacked: .malformed(place, "packed numbers do not fill their length")
        }
    }
}
