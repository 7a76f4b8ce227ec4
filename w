(;FF[4]AP[foible:0.1.0]C[foible 0.1.0, go-5x5 (openvino f32)]CA[UTF-8]GM[1]
KM[24.5]RU[Tromp-Taylor]SZ[5];B[cc];W[dc];B[cd])
