// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

// Types of Foundation by a name that begins with this module: generated text writes `LatchRPC.ProtoDate` where a message
// is called `Date`, since Foundation itself is one of two modules.

/// The bytes of a field.
public typealias ProtoBytes = Data

/// The time of a field.
public typealias ProtoDate = Date
