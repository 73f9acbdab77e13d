// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchRPC

struct Shop {
    let rpcMethods: [RPCMethodHandler]
}

let shop: Shop = placeholder()
let descriptors: [UInt8] = placeholder()
let file: URL = placeholder()
