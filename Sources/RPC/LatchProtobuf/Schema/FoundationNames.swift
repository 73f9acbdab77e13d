// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

// Foundation types under names of this module. If a message is named `Date`, generated code writes
// `LatchRPC.ProtoDate`, because Foundation itself is one of two modules.

/// The Swift type of bytes fields.
public typealias ProtoBytes = Data

/// The Swift type of timestamp fields.
public typealias ProtoDate = Date
