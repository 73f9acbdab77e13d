// SPDX-License-Identifier: Apache-2.0
import LatchJOSE

let payload: [UInt8] = placeholder()
let key: Key = placeholder()
let keys: KeySet = placeholder()
let token: String = placeholder()
let encryptionKey: EncryptionKey = placeholder()
